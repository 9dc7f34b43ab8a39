// SPDX-License-Identifier: Apache-2.0
//
// Texts of kumi_http and the records between its parts.
//
// Every response has three pieces: a head up to "Connection: ", the rest of the head (close or
// keep-alive), and a body. In a body a byte 0x80 + i, followed by nine times 0xFF, is the place of
// number i in ten digits, right-aligned.
package kumi_http_pkg;

  // What is answered.
  typedef enum logic [3:0] {
    PAGE_INDEX,
    PAGE_STATUS,
    PAGE_ROBOTS,
    PAGE_KERNEL,    // head of a response whose body comes from the kernel
    PAGE_STREAM,    // the same to HTTP/1.0
    PAGE_CONTINUE,  // interim response: the body may come
    PAGE_400,
    PAGE_404,
    PAGE_405,
    PAGE_405_POST,  // the resource takes POST and PUT only
    PAGE_422,
    PAGE_431
  } http_page_e;
  localparam int PAGES = 12;
  localparam int NUMBERS = 6;  // of the status page

  // A request that is to be answered.
  typedef struct packed {
    http_page_e page;
    logic head;  // without the body
    logic close;
  } http_response_t;

  // Where the parser is; kept for each session between its bytes.
  typedef enum logic [3:0] {
    AT_START,
    AT_METHOD,
    AT_TARGET,
    AT_SCHEME,     // of an absolute-form target
    AT_AUTHORITY,
    AT_QUERY,
    AT_VERSION,
    AT_LINE,
    AT_NAME,
    AT_VALUE,
    AT_SKIP,
    AT_END,
    AT_BODY
  } http_parse_state_e;

  typedef struct packed {
    http_parse_state_e at;
    logic [4:0]        index;    // characters of the word that were compared
    logic [5:0]        match;    // what the word may still be
    logic [12:0]       count;    // bytes of the request so far
    logic              get;
    logic              head;
    logic              post;     // POST or PUT
    logic [1:0]        escape;   // of a percent-encoded character: digits to come
    logic [3:0]        digit;    // its first digit
    logic              cr;       // the last character was CR
    logic [2:0]        path;     // 7: none
    logic              expects;  // Expect: 100-continue
    logic              minor;    // HTTP/1.1 or later
    logic              host;
    logic              close;
    logic              keep;
    logic              coded;    // Transfer-Encoding
    logic              chunked;  // and it is chunked
    logic              sized;    // Content-Length
    logic [2:0]        field;    // header whose value is read
    logic [31:0]       length;   // bytes of the body, or of its chunk, to come
  } http_parser_t;

  // Where the parser of a body is, in `index`.
  typedef enum logic [4:0] {
    BODY_PLAIN,  // `length` bytes are the body
    BODY_SIZE,  // chunked: a size, in `length`
    BODY_EXT,
    BODY_CHUNK,
    BODY_AFTER,
    BODY_TRAILER,
    BODY_FIELD
  } http_body_state_e;
  localparam int HTTP_PARSER_W = $bits(http_parser_t);

  // Words, lower case, first character first, ended by zeros.
  localparam int WORD = 18;
  localparam logic [3:0][8*WORD-1:0] METHODS = {
    {"PUT", 120'd0}, {"POST", 112'd0}, {"HEAD", 112'd0}, {"GET", 120'd0}
  };
  localparam logic [3:0][8*WORD-1:0] PATHS = {
    {"/robots.txt", 56'd0}, {"/status", 88'd0}, {"/index.html", 56'd0}, {"/", 136'd0}
  };
  localparam logic [4:0][8*WORD-1:0] FIELDS = {
    {"expect", 96'd0},
    {"transfer-encoding", 8'd0},
    {"content-length", 32'd0},
    {"connection", 64'd0},
    {"host", 112'd0}
  };
  localparam logic [3:0][8*WORD-1:0] TOKENS = {
    {"100-continue", 48'd0}, {"chunked", 88'd0}, {"keep-alive", 64'd0}, {"close", 104'd0}
  };
  localparam logic [8*WORD-1:0] VERSION = {"HTTP/1.", 88'd0};
  localparam logic [8*WORD-1:0] SCHEME = {"http://", 88'd0};

  function automatic logic [7:0] letter(logic [8*WORD-1:0] word, logic [4:0] index);
    return word[8*(WORD-1-32'(index))+:8];
  endfunction

  // ---- texts ---------------------------------------------------------------------------------
  localparam NUM0 = {8'h80, {9{8'hFF}}};
  localparam NUM1 = {8'h81, {9{8'hFF}}};
  localparam NUM2 = {8'h82, {9{8'hFF}}};
  localparam NUM3 = {8'h83, {9{8'hFF}}};
  localparam NUM4 = {8'h84, {9{8'hFF}}};
  localparam NUM5 = {8'h85, {9{8'hFF}}};

  localparam INDEX_BODY = {
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Kumihimo</title>",
    "</head>\n<body><h1>Kumihimo</h1>\n<p>This page comes from a TCP engine in hardware.</p>\n",
    "<p><a href=\"/status\">Status</a></p>\n</body></html>\n"
  };
  localparam STATUS_BODY = {
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
  localparam ROBOTS_BODY = "User-agent: *\nDisallow:\n";
  localparam BODY_400 = "400: the request was not understood\n";
  localparam BODY_404 = "404: there is no such page\n";
  localparam BODY_405 = "405: only GET and HEAD\n";
  localparam BODY_405_POST = "405: only POST and PUT\n";
  localparam BODY_422 = "422: the data are malformed\n";
  localparam BODY_431 = "431: the request is too long\n";

  function automatic logic [31:0] decimal(int value);
    return {
      8'd48 + 8'(value / 1000),
      8'd48 + 8'((value / 100) % 10),
      8'd48 + 8'((value / 10) % 10),
      8'd48 + 8'(value % 10)
    };
  endfunction

  localparam CRLF = "\x0d\n";
  localparam SERVER = {CRLF, "Server: Kumihimo", CRLF, "Content-Type: "};
  localparam LENGTH = {CRLF, "Content-Length: "};
  localparam CONNECTION = {CRLF, "Connection: "};

  localparam INDEX_HEAD = {
    "HTTP/1.1 200 OK", SERVER, "text/html", LENGTH, decimal($bits(INDEX_BODY) / 8), CONNECTION
  };
  localparam STATUS_HEAD = {
    "HTTP/1.1 200 OK",
    SERVER,
    "application/json",
    CRLF,
    "Cache-Control: no-store",
    LENGTH,
    decimal($bits(STATUS_BODY) / 8),
    CONNECTION
  };
  localparam ROBOTS_HEAD = {
    "HTTP/1.1 200 OK", SERVER, "text/plain", LENGTH, decimal($bits(ROBOTS_BODY) / 8), CONNECTION
  };
  localparam HEAD_400 = {
    "HTTP/1.1 400 Bad Request",
    SERVER,
    "text/plain",
    LENGTH,
    decimal($bits(BODY_400) / 8),
    CONNECTION
  };
  localparam HEAD_404 = {
    "HTTP/1.1 404 Not Found", SERVER, "text/plain", LENGTH, decimal($bits(BODY_404) / 8), CONNECTION
  };
  localparam HEAD_405 = {
    "HTTP/1.1 405 Method Not Allowed",
    CRLF,
    "Allow: GET, HEAD",
    SERVER,
    "text/plain",
    LENGTH,
    decimal($bits(BODY_405) / 8),
    CONNECTION
  };
  localparam HEAD_405_POST = {
    "HTTP/1.1 405 Method Not Allowed",
    CRLF,
    "Allow: POST, PUT",
    SERVER,
    "text/plain",
    LENGTH,
    decimal($bits(BODY_405_POST) / 8),
    CONNECTION
  };
  localparam HEAD_422 = {
    "HTTP/1.1 422 Unprocessable Content",
    SERVER,
    "text/plain",
    LENGTH,
    decimal($bits(BODY_422) / 8),
    CONNECTION
  };
  localparam KERNEL_HEAD = {
    "HTTP/1.1 200 OK",
    SERVER,
    "application/octet-stream",
    CRLF,
    "Transfer-Encoding: chunked",
    CONNECTION
  };
  localparam STREAM_HEAD = {"HTTP/1.1 200 OK", SERVER, "application/octet-stream", CONNECTION};
  localparam CONTINUE_HEAD = {"HTTP/1.1 100 Continue", CONNECTION};
  localparam NO_BODY = " ";  // of responses without a body of their own
  localparam HEAD_431 = {
    "HTTP/1.1 431 Request Header Fields Too Large",
    SERVER,
    "text/plain",
    LENGTH,
    decimal($bits(BODY_431) / 8),
    CONNECTION
  };
  localparam CLOSE_TAIL = {"close", CRLF, CRLF};
  localparam KEEP_TAIL = {"keep-alive", CRLF, CRLF};

  // All texts one behind the other, and where each begins; piece i ends where piece i + 1 begins.
  localparam int PIECES = 2 * PAGES + 2;
  localparam TEXT = {
    INDEX_HEAD,
    STATUS_HEAD,
    ROBOTS_HEAD,
    KERNEL_HEAD,
    STREAM_HEAD,
    CONTINUE_HEAD,
    HEAD_400,
    HEAD_404,
    HEAD_405,
    HEAD_405_POST,
    HEAD_422,
    HEAD_431,
    INDEX_BODY,
    STATUS_BODY,
    ROBOTS_BODY,
    NO_BODY,
    NO_BODY,
    NO_BODY,
    BODY_400,
    BODY_404,
    BODY_405,
    BODY_405_POST,
    BODY_422,
    BODY_431,
    CLOSE_TAIL,
    KEEP_TAIL
  };
  localparam int TEXT_BYTES = $bits(TEXT) / 8;
  localparam int PIECE_BYTES[PIECES] = '{
      $bits(INDEX_HEAD) / 8,
      $bits(STATUS_HEAD) / 8,
      $bits(ROBOTS_HEAD) / 8,
      $bits(KERNEL_HEAD) / 8,
      $bits(STREAM_HEAD) / 8,
      $bits(CONTINUE_HEAD) / 8,
      $bits(HEAD_400) / 8,
      $bits(HEAD_404) / 8,
      $bits(HEAD_405) / 8,
      $bits(HEAD_405_POST) / 8,
      $bits(HEAD_422) / 8,
      $bits(HEAD_431) / 8,
      $bits(INDEX_BODY) / 8,
      $bits(STATUS_BODY) / 8,
      $bits(ROBOTS_BODY) / 8,
      $bits(NO_BODY) / 8,
      $bits(NO_BODY) / 8,
      $bits(NO_BODY) / 8,
      $bits(BODY_400) / 8,
      $bits(BODY_404) / 8,
      $bits(BODY_405) / 8,
      $bits(BODY_405_POST) / 8,
      $bits(BODY_422) / 8,
      $bits(BODY_431) / 8,
      $bits(CLOSE_TAIL) / 8,
      $bits(KEEP_TAIL) / 8
  };

  function automatic int piece_start(int piece);
    int at;
    at = 0;
    for (int i = 0; i < PIECES; i++) if (i < piece) at += PIECE_BYTES[i];
    return at;
  endfunction
endpackage
