// SPDX-License-Identifier: Apache-2.0
//
// Records between the parts of kumi_http, and the words that its parser knows.
package kumi_http_pkg;

  // What is answered.
  typedef enum logic [3:0] {
    PAGE_INDEX,
    PAGE_STATUS,
    PAGE_ROBOTS,
    PAGE_KERNEL,    // head of a response whose body comes from the kernel
    PAGE_CONTINUE,  // interim response: the body may come
    PAGE_400,
    PAGE_404,
    PAGE_405,
    PAGE_405_POST,  // the resource takes POST and PUT only
    PAGE_415,
    PAGE_416,
    PAGE_422,
    PAGE_431,
    PAGE_503
  } http_page_e;

  // A request that is to be answered.
  typedef struct packed {
    http_page_e page;
    logic head;  // without the body
    logic close;
  } http_response_t;

  // How it is built.
  typedef struct packed {
    http_page_e page;
    logic head;
    logic close;
    logic partial;  // 206
    logic encoded;  // the kernel's response: Content-Encoding: gzip
    logic chunked;  // and Transfer-Encoding: chunked
  } http_reply_t;

  // Range of bytes that a GET asks for (RFC 9110, 14.1.2); 2047 stands for all above.
  typedef struct packed {
    logic        valid;
    logic        has_first;  // else the last `last` bytes
    logic        has_last;
    logic [10:0] first;
    logic [10:0] last;
  } http_range_t;

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
    AT_BODY,
    AT_RAW         // raw framing: the length of a message
  } http_parse_state_e;

  localparam int MATCH_W = 9;

  typedef struct packed {
    http_parse_state_e  at;
    logic [4:0]         index;        // characters of the word that were compared
    logic [MATCH_W-1:0] match;        // what the word may still be
    logic [12:0]        count;        // bytes of the request so far
    logic               get;
    logic               head;
    logic               post;         // POST or PUT
    logic [1:0]         escape;       // of a percent-encoded character: digits to come
    logic [3:0]         digit;        // its first digit
    logic               cr;           // the last character was CR
    logic [2:0]         path;         // 7: none
    logic               expects;      // Expect: 100-continue
    logic               minor;        // HTTP/1.1 or later
    logic               host;
    logic               close;
    logic               keep;
    logic               coded;        // Transfer-Encoding
    logic               chunked;      // and it is chunked
    logic               sized;        // Content-Length
    logic               deflated;     // Content-Encoding: gzip or deflate
    logic               unsupported;  // another Content-Encoding
    logic               gzip;         // Accept-Encoding has gzip
    logic               gzip_named;   // it was named last
    logic [2:0]         weight;       // what of ";q=0" was seen
    logic               ranged;       // Range
    logic               whole;        // and it is to be ignored
    http_range_t        range;
    logic [3:0]         field;        // header whose value is read
    logic [31:0]        length;       // bytes of the body, or of its chunk, to come
    logic               raw;          // a session of raw framing
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

  // How the kernel's response is sent.
  typedef enum logic [1:0] {
    FRAMING_CLOSE,    // up to the end of the connection
    FRAMING_CHUNKED,  // RFC 9112, 7.1
    FRAMING_RAW       // pieces with their length, 32 bits; zero ends
  } http_framing_e;

  // What became of a write.
  typedef enum logic [1:0] {
    WRITE_DONE,
    WRITE_FULL,  // no space
    WRITE_DEAD   // the session takes no more
  } http_outcome_e;

  // What becomes of bytes that are read.
  typedef enum logic [1:0] {
    READ_DROP,
    READ_KEEP,  // in the session's buffer
    READ_PASS   // to the kernel
  } http_read_e;

  // The kernel's own bits of a session.
  localparam int REQUEST_BYTES = 64;  // bytes of requests kept for a session
  localparam int REQUEST_W = $clog2(REQUEST_BYTES);

  typedef struct packed {
    http_parser_t         parse;
    logic [REQUEST_W-1:0] pos;      // of the bytes held: the next one
    logic [REQUEST_W:0]   count;    // how many there are
    logic                 waiting;  // an answer has not been written yet
    http_response_t       answer;
    logic                 drain;    // nothing more is answered
    logic                 closed;   // this side has closed
    logic                 refused;  // too many sessions: its request is answered with 503
    logic                 asks;     // its request waits for the kernel
    logic                 owns;     // its request is at the kernel
    logic [19:0]          since;    // ticks when it began to wait
  } http_session_t;
  localparam int SESSION_W = $bits(http_session_t);

  // What a session does in its turn.
  typedef enum logic [3:0] {
    ACT_END_IDLE,   // nothing moved for too long: close, or abort in the middle
    ACT_DROP,       // nothing more is answered: what the client sends is dropped
    ACT_CLOSE,
    ACT_OVER,       // nothing is left to do
    ACT_EXPEL,      // abort: others wait for the kernel
    ACT_SEND_AWAY,  // 503
    ACT_PAGE,       // write what is owed
    ACT_TAKE,       // its request goes to the kernel
    ACT_PIECE,      // write a piece of the kernel's response
    ACT_SKIP,       // the body in the buffer, which nobody wants
    ACT_PARSE,      // the bytes in the buffer
    ACT_READ,
    ACT_FIN,        // the client has closed
    ACT_LATER,
    ACT_REST
  } http_action_e;

  // What follows a byte of a request.
  typedef enum logic [2:0] {
    THEN_NEXT,  // the next byte
    THEN_REST,  // the end of the turn
    THEN_PAGE,  // write the response
    THEN_ASK,   // ask for the kernel
    THEN_ABORT
  } http_then_e;

  // The place at the kernel (kumi_http_place), as one session sees it.
  typedef struct packed {
    logic        ready;    // an order may be given
    logic        next;     // it is this session's turn
    logic        mine;     // this session has it
    logic        over;     // for too long
    logic        read;     // the body is there as a whole
    logic        begun;    // a part of the response has been sent
    logic        encoded;  // the response comes in gzip
    logic        sending;  // a piece of it is on its way
    logic        all;      // no more of it will come than `have`
    logic        bad;      // with all: it is malformed
    logic [15:0] have;     // bytes of the response that wait
    logic [15:0] room;     // for bytes of the body
  } http_place_t;

  // Orders to it.
  typedef struct packed {
    logic       ask;
    logic       leave;
    logic       take;
    logic       let_go;
    logic       eaten;
    logic       begun;
    logic       put;
    logic [7:0] data;
    logic [3:0] dest;    // {response in gzip, body in a Content-Encoding, route}
  } http_order_t;

  // What happened, for counters.
  typedef struct packed {
    logic       out;       // a response is out, or the head of the kernel's
    http_page_e page;      // which
    logic       good;      // it is one of 200
    logic       no_space;
    logic       idle_end;
    logic       turn_end;
  } http_event_t;

  // Settings.
  typedef struct packed {
    logic [12:0] limit;       // bytes of request line and headers
    logic [19:0] wait_ticks;  // for the kernel, at most; 0: any time
    logic [19:0] turn_ticks;  // at the kernel while others wait, at most; 0: any time
    logic [15:0] raw_port;    // 0: none
    logic [1:0]  raw_route;
  } http_cfg_t;

  // Words, lower case, first character first, ended by zeros.
  localparam int WORD = 18;
  localparam logic [3:0][8*WORD-1:0] METHODS = {
    {"PUT", 120'd0}, {"POST", 112'd0}, {"HEAD", 112'd0}, {"GET", 120'd0}
  };
  localparam logic [3:0][8*WORD-1:0] PATHS = {
    {"/robots.txt", 56'd0}, {"/status", 88'd0}, {"/index.html", 56'd0}, {"/", 136'd0}
  };

  typedef enum logic [3:0] {
    FIELD_HOST,
    FIELD_CONNECTION,
    FIELD_LENGTH,
    FIELD_TRANSFER,
    FIELD_EXPECT,
    FIELD_CONTENT,
    FIELD_ACCEPT,
    FIELD_RANGE,
    FIELD_IF_RANGE
  } http_field_e;
  localparam int FIELD_N = 9;
  localparam logic [FIELD_N-1:0][8*WORD-1:0] FIELDS = {
    {"if-range", 80'd0},
    {"range", 104'd0},
    {"accept-encoding", 24'd0},
    {"content-encoding", 16'd0},
    {"expect", 96'd0},
    {"transfer-encoding", 8'd0},
    {"content-length", 32'd0},
    {"connection", 64'd0},
    {"host", 112'd0}
  };

  typedef enum logic [3:0] {
    TOKEN_CLOSE,
    TOKEN_KEEP,
    TOKEN_CHUNKED,
    TOKEN_CONTINUE,
    TOKEN_GZIP,
    TOKEN_X_GZIP,
    TOKEN_DEFLATE,
    TOKEN_IDENTITY
  } http_token_e;
  localparam int TOKEN_N = 8;
  localparam logic [TOKEN_N-1:0][8*WORD-1:0] TOKENS = {
    {"identity", 80'd0},
    {"deflate", 88'd0},
    {"x-gzip", 96'd0},
    {"gzip", 112'd0},
    {"100-continue", 48'd0},
    {"chunked", 88'd0},
    {"keep-alive", 64'd0},
    {"close", 104'd0}
  };
  localparam logic [8*WORD-1:0] VERSION = {"HTTP/1.", 88'd0};
  localparam logic [8*WORD-1:0] SCHEME = {"http://", 88'd0};
  localparam logic [8*WORD-1:0] UNIT = {"bytes=", 96'd0};

  function automatic logic [7:0] letter(logic [8*WORD-1:0] word, logic [4:0] index);
    return word[8*(WORD-1-32'(index))+:8];
  endfunction

  // Where the parser is between two messages.
  function automatic http_parse_state_e rest_state(logic raw);
    return raw ? AT_RAW : AT_START;
  endfunction
endpackage
