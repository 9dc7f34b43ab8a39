// SPDX-License-Identifier: Apache-2.0
//
// Texts of kumi_http: pieces of heads, and bodies.
//
// A byte 0x80 + i, followed by nine times 0xFF, is the place of number i in ten digits,
// right-aligned; 0x90 + i the same without blanks before it, as long as the number is.
package kumi_http_text_pkg;
  import kumi_http_pkg::*;

  localparam int NUMBERS = 10;  // 0 to 5 of the status page, 6 to 9 of ranges

  typedef enum logic [5:0] {
    TEXT_200,
    TEXT_206,
    TEXT_CONTINUE,
    TEXT_400,
    TEXT_404,
    TEXT_405,
    TEXT_405_POST,
    TEXT_415,
    TEXT_416,
    TEXT_422,
    TEXT_431,
    TEXT_503,
    TEXT_HTML,
    TEXT_JSON,
    TEXT_PLAIN,
    TEXT_OCTETS,
    TEXT_ACCEPT,
    TEXT_ENCODED,
    TEXT_RANGE,
    TEXT_NO_RANGE,
    TEXT_CHUNKED,
    TEXT_LENGTH,
    TEXT_CLOSE,
    TEXT_KEEP,
    BODY_INDEX,
    BODY_STATUS,
    BODY_ROBOTS,
    BODY_400,
    BODY_404,
    BODY_405,
    BODY_405_POST,
    BODY_415,
    BODY_416,
    BODY_422,
    BODY_431,
    BODY_503,
    TEXT_NONE  // no piece
  } http_text_e;
  localparam int PIECES = 36;

  localparam CRLF = "\x0d\n";
  localparam SERVER = {CRLF, "Server: Kumihimo"};
  localparam NUM0 = {8'h80, {9{8'hFF}}};
  localparam NUM1 = {8'h81, {9{8'hFF}}};
  localparam NUM2 = {8'h82, {9{8'hFF}}};
  localparam NUM3 = {8'h83, {9{8'hFF}}};
  localparam NUM4 = {8'h84, {9{8'hFF}}};
  localparam NUM5 = {8'h85, {9{8'hFF}}};
  localparam FIRST = {8'h96, {9{8'hFF}}};
  localparam LAST = {8'h97, {9{8'hFF}}};
  localparam SIZE = {8'h98, {9{8'hFF}}};  // of the whole body
  localparam COUNT = {8'h99, {9{8'hFF}}};  // of what is sent of it

  // ---- heads ---------------------------------------------------------------------------------
  localparam H_200 = {"HTTP/1.1 200 OK", SERVER};
  localparam H_206 = {"HTTP/1.1 206 Partial Content", SERVER};
  localparam H_CONTINUE = {"HTTP/1.1 100 Continue", CRLF, CRLF};
  localparam H_400 = {"HTTP/1.1 400 Bad Request", SERVER};
  localparam H_404 = {"HTTP/1.1 404 Not Found", SERVER};
  localparam H_405 = {"HTTP/1.1 405 Method Not Allowed", SERVER, CRLF, "Allow: GET, HEAD"};
  localparam H_405_POST = {"HTTP/1.1 405 Method Not Allowed", SERVER, CRLF, "Allow: POST, PUT"};
  localparam H_415 = {
    "HTTP/1.1 415 Unsupported Media Type", SERVER, CRLF, "Accept-Encoding: gzip, deflate"
  };
  localparam H_416 = {"HTTP/1.1 416 Range Not Satisfiable", SERVER};
  localparam H_422 = {"HTTP/1.1 422 Unprocessable Content", SERVER};
  localparam H_431 = {"HTTP/1.1 431 Request Header Fields Too Large", SERVER};
  localparam H_503 = {"HTTP/1.1 503 Service Unavailable", SERVER, CRLF, "Retry-After: 1"};
  localparam H_HTML = {CRLF, "Content-Type: text/html"};
  localparam H_JSON = {CRLF, "Content-Type: application/json", CRLF, "Cache-Control: no-store"};
  localparam H_PLAIN = {CRLF, "Content-Type: text/plain"};
  localparam H_OCTETS = {CRLF, "Content-Type: application/octet-stream"};
  localparam H_ACCEPT = {CRLF, "Accept-Ranges: bytes"};
  localparam H_ENCODED = {CRLF, "Content-Encoding: gzip"};
  localparam H_RANGE = {CRLF, "Content-Range: bytes ", FIRST, "-", LAST, "/", SIZE};
  localparam H_NO_RANGE = {CRLF, "Content-Range: bytes */", SIZE};
  localparam H_CHUNKED = {CRLF, "Transfer-Encoding: chunked"};
  localparam H_LENGTH = {CRLF, "Content-Length: ", COUNT};
  localparam H_CLOSE = {CRLF, "Connection: close", CRLF, CRLF};
  localparam H_KEEP = {CRLF, "Connection: keep-alive", CRLF, CRLF};

  // ---- bodies --------------------------------------------------------------------------------
  localparam B_INDEX = {
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Kumihimo</title>",
    "</head>\n<body><h1>Kumihimo</h1>\n<p>This page comes from a TCP engine in hardware.</p>\n",
    "<p><a href=\"/status\">Status</a></p>\n</body></html>\n"
  };
  localparam B_STATUS = {
    "{\n  \"uptime_seconds\": ",
    NUM0,
    ",\n  \"connections\": ",
    NUM1,
    ",\n  \"sessions\": ",
    NUM2,
    ",\n  \"requests\": ",
    NUM3,
    ",\n  \"responses_ok\": ",
    NUM4,
    ",\n  \"responses_error\": ",
    NUM5,
    "\n}\n"
  };
  localparam B_ROBOTS = "User-agent: *\nDisallow:\n";
  localparam B_400 = "400: the request was not understood\n";
  localparam B_404 = "404: there is no such page\n";
  localparam B_405 = "405: only GET and HEAD\n";
  localparam B_405_POST = "405: only POST and PUT\n";
  localparam B_415 = "415: the content encoding is unknown\n";
  localparam B_416 = "416: there are no such bytes\n";
  localparam B_422 = "422: the data are malformed\n";
  localparam B_431 = "431: the request is too long\n";
  localparam B_503 = "503: all places are taken, try again\n";

  // All texts one behind the other, in the order of http_text_e; piece i ends where piece i + 1
  // begins.
  localparam TEXT = {
    {H_200, H_206, H_CONTINUE, H_400, H_404, H_405, H_405_POST, H_415, H_416, H_422, H_431, H_503},
    {H_HTML, H_JSON, H_PLAIN, H_OCTETS, H_ACCEPT, H_ENCODED, H_RANGE, H_NO_RANGE},
    {H_CHUNKED, H_LENGTH, H_CLOSE, H_KEEP},
    {B_INDEX, B_STATUS, B_ROBOTS, B_400, B_404, B_405, B_405_POST, B_415, B_416, B_422, B_431},
    B_503
  };
  localparam int TEXT_BYTES = $bits(TEXT) / 8;
  localparam int PIECE_BYTES[PIECES] = '{
      $bits(H_200) / 8,
      $bits(H_206) / 8,
      $bits(H_CONTINUE) / 8,
      $bits(H_400) / 8,
      $bits(H_404) / 8,
      $bits(H_405) / 8,
      $bits(H_405_POST) / 8,
      $bits(H_415) / 8,
      $bits(H_416) / 8,
      $bits(H_422) / 8,
      $bits(H_431) / 8,
      $bits(H_503) / 8,
      $bits(H_HTML) / 8,
      $bits(H_JSON) / 8,
      $bits(H_PLAIN) / 8,
      $bits(H_OCTETS) / 8,
      $bits(H_ACCEPT) / 8,
      $bits(H_ENCODED) / 8,
      $bits(H_RANGE) / 8,
      $bits(H_NO_RANGE) / 8,
      $bits(H_CHUNKED) / 8,
      $bits(H_LENGTH) / 8,
      $bits(H_CLOSE) / 8,
      $bits(H_KEEP) / 8,
      $bits(B_INDEX) / 8,
      $bits(B_STATUS) / 8,
      $bits(B_ROBOTS) / 8,
      $bits(B_400) / 8,
      $bits(B_404) / 8,
      $bits(B_405) / 8,
      $bits(B_405_POST) / 8,
      $bits(B_415) / 8,
      $bits(B_416) / 8,
      $bits(B_422) / 8,
      $bits(B_431) / 8,
      $bits(B_503) / 8
  };

  function automatic int piece_start(int piece);
    int at;
    at = 0;
    for (int i = 0; i < PIECES; i++) if (i < piece) at += PIECE_BYTES[i];
    return at;
  endfunction

  // ---- pieces of a response --------------------------------------------------------------------
  function automatic http_text_e status_text(http_page_e page, logic partial);
    case (page)
      PAGE_CONTINUE: return TEXT_CONTINUE;
      PAGE_400: return TEXT_400;
      PAGE_404: return TEXT_404;
      PAGE_405: return TEXT_405;
      PAGE_405_POST: return TEXT_405_POST;
      PAGE_415: return TEXT_415;
      PAGE_416: return TEXT_416;
      PAGE_422: return TEXT_422;
      PAGE_431: return TEXT_431;
      PAGE_503: return TEXT_503;
      default: return partial ? TEXT_206 : TEXT_200;
    endcase
  endfunction

  function automatic http_text_e type_text(http_page_e page);
    case (page)
      PAGE_INDEX: return TEXT_HTML;
      PAGE_STATUS: return TEXT_JSON;
      PAGE_KERNEL: return TEXT_OCTETS;
      PAGE_CONTINUE: return TEXT_NONE;
      default: return TEXT_PLAIN;
    endcase
  endfunction

  function automatic http_text_e body_text(http_page_e page);
    case (page)
      PAGE_INDEX: return BODY_INDEX;
      PAGE_STATUS: return BODY_STATUS;
      PAGE_ROBOTS: return BODY_ROBOTS;
      PAGE_400: return BODY_400;
      PAGE_404: return BODY_404;
      PAGE_405: return BODY_405;
      PAGE_405_POST: return BODY_405_POST;
      PAGE_415: return BODY_415;
      PAGE_416: return BODY_416;
      PAGE_422: return BODY_422;
      PAGE_431: return BODY_431;
      PAGE_503: return BODY_503;
      default: return TEXT_NONE;
    endcase
  endfunction

  function automatic logic [10:0] body_size(http_page_e page);
    http_text_e text;
    logic [10:0] size;
    text = body_text(page);
    size = '0;
    for (int i = 0; i < PIECES; i++) if (text == 6'(i)) size = 11'(PIECE_BYTES[i]);
    return size;
  endfunction
endpackage
