-- SPDX-License-Identifier: Apache-2.0
--
-- Wireshark dissector of Kumihimo's frames on Ethernet:
--   kumi_rtp   EtherType 0x88B6, the transport   (docs/blocks/eth-rtp.md)
--   kumi_ctl  EtherType 0x88B5, the controller  (docs/blocks/eth-controller.md)
--
-- Use: tshark -X lua_script:kumihimo.lua -r file.pcapng
-- or copy it to the folder "Personal Lua Plugins" of `tshark -G folders`.
-- Tested with Wireshark 4.0 (Lua 5.2).

local RTP_HEADER = 16 -- bytes behind the EtherType
local RTP_BODY = 12 -- of ACK and HELLO
local CTL_HEADER = 10
local WRAP = 4294967296 -- sequence numbers have 32 bits

local DATA, ACK, HELLO, RESET = 0, 1, 2, 3
local TYPES = {[DATA] = "DATA", [ACK] = "ACK", [HELLO] = "HELLO", [RESET] = "RESET"}

-- a lies before b on the circle of sequence numbers
local function before(a, b)
  return a ~= b and (b - a) % WRAP < WRAP / 2
end

-- Numbers in ascending order as "3-5,9".
local function ranges(list)
  local out, first, last = {}, nil, nil
  local function close()
    if first then out[#out + 1] = first == last and tostring(first) or first .. "-" .. last end
  end
  for _, n in ipairs(list) do
    if last and n == (last + 1) % WRAP then
      last = n
    else
      close()
      first, last = n, n
    end
  end
  close()
  return table.concat(out, ",")
end

-- What is left of a frame: on the line, and in the capture (which may have been cut).
local function room(tvb, offset)
  return math.max(tvb:reported_len() - offset, 0), math.max(tvb:len() - offset, 0)
end

-- ---- the transport -----------------------------------------------------------------------------

local tp = Proto("kumi_rtp", "Kumihimo Ethernet transport")

local f = {
  version = ProtoField.uint8("kumi_rtp.version", "Version", base.DEC, nil, 0xf0),
  type = ProtoField.uint8("kumi_rtp.type", "Type", base.DEC, TYPES, 0x0f),
  flags = ProtoField.uint8("kumi_rtp.flags", "Flags", base.HEX),
  first = ProtoField.bool("kumi_rtp.flags.first", "First frame of the message", 8, nil, 0x01),
  last = ProtoField.bool("kumi_rtp.flags.last", "Last frame of the message", 8, nil, 0x02),
  ack_req = ProtoField.bool("kumi_rtp.flags.ack_req", "Immediate ACK requested", 8, nil, 0x04),
  duplicate = ProtoField.bool("kumi_rtp.flags.duplicate", "Duplicate seen", 8, nil, 0x08),
  flags_reserved = ProtoField.uint8("kumi_rtp.flags.reserved", "Reserved", base.HEX, nil, 0xf0),
  tag = ProtoField.uint32("kumi_rtp.tag", "Tag", base.HEX),
  tag_peer = ProtoField.uint32("kumi_rtp.tag.peer", "Sender's number", base.DEC, nil, 0xfff00000),
  tag_nonce = ProtoField.uint32("kumi_rtp.tag.nonce", "Nonce", base.HEX, nil, 0x000fffff),
  seq = ProtoField.uint32("kumi_rtp.seq", "Sequence number", base.DEC),
  ack = ProtoField.uint32("kumi_rtp.ack", "Next expected", base.DEC),
  len = ProtoField.uint16("kumi_rtp.len", "Length", base.DEC),
  limit = ProtoField.uint32("kumi_rtp.limit", "Limit", base.DEC),
  credit = ProtoField.uint32("kumi_rtp.credit", "Frames from the next expected to the limit",
    base.DEC),
  sack = ProtoField.uint64("kumi_rtp.sack", "Received behind the next expected", base.HEX),
  sack_seq = ProtoField.uint32("kumi_rtp.sack.seq", "Received", base.DEC),
  sack_count = ProtoField.uint32("kumi_rtp.sack.count", "Received out of order", base.DEC),
  own_tag = ProtoField.uint32("kumi_rtp.own_tag", "Own tag", base.HEX),
  own_peer = ProtoField.uint32("kumi_rtp.own_tag.peer", "Receiver's number", base.DEC, nil,
    0xfff00000),
  own_nonce = ProtoField.uint32("kumi_rtp.own_tag.nonce", "Nonce", base.HEX, nil, 0x000fffff),
  reserved = ProtoField.uint32("kumi_rtp.reserved", "Reserved", base.HEX),
  data = ProtoField.bytes("kumi_rtp.data", "Data"),
  padding = ProtoField.bytes("kumi_rtp.padding", "Padding"),
  first_seen = ProtoField.framenum("kumi_rtp.analysis.first_seen", "First seen in", base.NONE,
    frametype.RETRANS_PREV),
}
tp.fields = f

local MALFORMED, ERROR = expert.group.MALFORMED, expert.severity.ERROR
local e = {
  short = ProtoExpert.new("kumi_rtp.short", "Shorter than the header", MALFORMED, ERROR),
  version = ProtoExpert.new("kumi_rtp.bad_version", "Unknown version", MALFORMED, ERROR),
  type = ProtoExpert.new("kumi_rtp.bad_type", "Unknown type", MALFORMED, ERROR),
  len = ProtoExpert.new("kumi_rtp.bad_len", "Length beyond the frame", MALFORMED, ERROR),
  body = ProtoExpert.new("kumi_rtp.bad_body", "Length does not fit the type", MALFORMED, ERROR),
  flags = ProtoExpert.new("kumi_rtp.bad_flags", "Flags that this type does not have",
    expert.group.PROTOCOL, expert.severity.WARN),
  limit = ProtoExpert.new("kumi_rtp.bad_limit", "Limit below the next expected",
    MALFORMED, ERROR),
  sack = ProtoExpert.new("kumi_rtp.bad_sack", "Received beyond the limit", MALFORMED, ERROR),
  falls = ProtoExpert.new("kumi_rtp.limit_fell", "Limit lower than in an earlier frame",
    expert.group.SEQUENCE, expert.severity.WARN),
  retransmission = ProtoExpert.new("kumi_rtp.retransmission", "Sequence number seen before: retransmitted or duplicated",
    expert.group.SEQUENCE, expert.severity.NOTE),
  probe = ProtoExpert.new("kumi_rtp.probe", "Probe: the sender asks for an ACK",
    expert.group.SEQUENCE, expert.severity.CHAT),
  broken = ProtoExpert.new("kumi_rtp.broken_off", "The sender's kernel broke the message off",
    expert.group.RESPONSE_CODE, expert.severity.NOTE),
}
tp.experts = {e.short, e.version, e.type, e.len, e.body, e.flags, e.limit, e.sack, e.falls,
  e.retransmission, e.probe, e.broken}

local interface = Field.new("frame.interface_id")

-- By stream (interface, addresses, tag): the frame in which a number was seen first, and the
-- highest limit. By frame: what the first pass found. Later passes see frames in any order.
local streams, found = {}, {}

function tp.init()
  streams, found = {}, {}
end

local function stream_of(pinfo, tag)
  local port = interface()
  local key = string.format("%s %s %s %d", port and tostring(port.value) or "",
    tostring(pinfo.dl_src), tostring(pinfo.dl_dst), tag)
  if not streams[key] then streams[key] = {seen = {}} end
  return streams[key]
end

local function watch_data(pinfo, tag, seq)
  if pinfo.visited then return end
  local seen = stream_of(pinfo, tag).seen
  if seen[seq] then
    found[pinfo.number] = {retransmission = seen[seq]}
  else
    seen[seq] = pinfo.number
  end
end

-- Reordered frames may carry an older limit, so only a smaller limit with an ack that is not
-- smaller is strange.
local function watch_limit(pinfo, tag, ack, limit)
  if pinfo.visited then return end
  local stream = stream_of(pinfo, tag)
  if stream.limit and before(limit, stream.limit) and not before(ack, stream.ack) then
    found[pinfo.number] = {falls = true}
  elseif not stream.limit or not before(limit, stream.limit) then
    stream.limit, stream.ack = limit, ack
  end
end

local function add_tag(tree, range, item, peer, nonce)
  local sub = tree:add(item, range)
  sub:add(peer, range)
  sub:add(nonce, range)
  return sub
end

local function add_flags(tree, range, kind)
  local sub = tree:add(f.flags, range)
  sub:add(f.first, range)
  sub:add(f.last, range)
  sub:add(f.ack_req, range)
  sub:add(f.duplicate, range)
  sub:add(f.flags_reserved, range)
  local names = {}
  for i, name in ipairs({"first", "last", "ack_req", "duplicate"}) do
    if range:bitfield(8 - i, 1) == 1 then names[#names + 1] = name end
  end
  local data, ack = range:bitfield(6, 2) ~= 0, range:bitfield(4, 1) ~= 0
  local wrong = range:bitfield(0, 4) ~= 0 or (data and kind ~= DATA) or (ack and kind ~= ACK)
    or (range:bitfield(5, 1) ~= 0 and kind ~= DATA and kind ~= ACK)
  if wrong then sub:add_proto_expert_info(e.flags) end
  return names
end

-- Body of an ACK; returns what the info column says.
local function add_ack(tree, tvb, pinfo, tag, ack)
  local limit = tvb(16, 4):uint()
  local item = tree:add(f.limit, tvb(16, 4))
  tree:add(f.credit, tvb(16, 4), (limit - ack) % WRAP):set_generated()
  if before(limit, ack) then item:add_proto_expert_info(e.limit) end
  watch_limit(pinfo, tag, ack, limit)
  local mark = found[pinfo.number]
  if mark and mark.falls then item:add_proto_expert_info(e.falls) end

  local bits = tvb(20, 8)
  local sub = tree:add(f.sack, bits)
  local list, beyond = {}, false
  for i = 0, 63 do
    if bits:bitfield(63 - i, 1) == 1 then
      local seq = (ack + 1 + i) % WRAP
      list[#list + 1] = seq
      sub:add(f.sack_seq, tvb(20 + 7 - math.floor(i / 8), 1), seq):set_generated()
      beyond = beyond or not before(seq, limit)
    end
  end
  sub:add(f.sack_count, bits, #list):set_generated()
  if beyond then sub:add_proto_expert_info(e.sack) end
  local info = string.format(" ack=%d limit=%d", ack, limit)
  if #list > 0 then info = info .. " sack=" .. ranges(list) end
  return info
end

local function add_hello(tree, tvb, tag)
  add_tag(tree, tvb(16, 4), f.own_tag, f.own_peer, f.own_nonce)
  tree:add(f.limit, tvb(20, 4))
  tree:add(f.reserved, tvb(24, 4))
  return string.format(" own=0x%08x tag=0x%08x limit=%d", tvb(16, 4):uint(), tag,
    tvb(20, 4):uint())
end

function tp.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "KUMI-TP"
  local tree = root:add(tp, tvb())
  if tvb:len() < RTP_HEADER then
    if tvb:reported_len() < RTP_HEADER then tree:add_proto_expert_info(e.short) end
    pinfo.cols.info = "short frame"
    return tvb:len()
  end

  local version, kind = tvb(0, 1):bitfield(0, 4), tvb(0, 1):bitfield(4, 4)
  local tag, seq, ack = tvb(2, 4):uint(), tvb(6, 4):uint(), tvb(10, 4):uint()
  local len = tvb(14, 2):uint()
  local version_item = tree:add(f.version, tvb(0, 1))
  local type_item = tree:add(f.type, tvb(0, 1))
  if version ~= 1 then
    version_item:add_proto_expert_info(e.version)
    pinfo.cols.info = "unknown version " .. version
    return tvb:len()
  end
  local names = add_flags(tree, tvb(1, 1), kind)
  add_tag(tree, tvb(2, 4), f.tag, f.tag_peer, f.tag_nonce)
  local seq_item = tree:add(f.seq, tvb(6, 4))
  tree:add(f.ack, tvb(10, 4))
  local len_item = tree:add(f.len, tvb(14, 2))

  local info = TYPES[kind] or "unknown type " .. kind
  if kind == DATA then info = info .. " seq=" .. seq end
  if #names > 0 then info = info .. " " .. table.concat(names, " ") end
  local on_line, captured = room(tvb, RTP_HEADER)
  if not TYPES[kind] then
    type_item:add_proto_expert_info(e.type)
  elseif len > on_line then
    len_item:add_proto_expert_info(e.len)
    info = info .. string.format(" len=%d in a frame with %d", len, on_line)
  elseif kind == DATA and len == 0 and tvb(1, 1):bitfield(6, 2) ~= 2
      or (kind == ACK or kind == HELLO) and len ~= RTP_BODY
      or kind == RESET and len ~= 0 then
    len_item:add_proto_expert_info(e.body)
    info = info .. " len=" .. len
  elseif kind == DATA then
    -- Without data, with `last` and without `first`: the sender's kernel broke the message off.
    info = info .. (len == 0 and " broken off" or " len=" .. len) .. " ack=" .. ack
    if len == 0 then tree:add_proto_expert_info(e.broken) end
    watch_data(pinfo, tag, seq)
    local mark = found[pinfo.number]
    if mark and mark.retransmission then
      seq_item:add_proto_expert_info(e.retransmission)
      seq_item:add(f.first_seen, tvb(6, 4), mark.retransmission):set_generated()
      info = "[retransmission] " .. info
    end
    if math.min(len, captured) > 0 then
      tree:add(f.data, tvb(RTP_HEADER, math.min(len, captured)))
    end
  elseif kind == RESET then
    info = info .. string.format(" tag=0x%08x", tag)
  elseif captured >= RTP_BODY then
    if kind == ACK then
      info = info .. add_ack(tree, tvb, pinfo, tag, ack)
      if tvb(1, 1):bitfield(5, 1) == 1 then tree:add_proto_expert_info(e.probe) end
    else
      info = info .. add_hello(tree, tvb, tag)
    end
  end
  if len <= on_line and captured > len then tree:add(f.padding, tvb(RTP_HEADER + len)) end
  tree:append_text(", " .. info)
  pinfo.cols.info = info
  return tvb:len()
end

-- ---- the controller ----------------------------------------------------------------------------

local ctl = Proto("kumi_ctl", "Kumihimo Ethernet controller")

local c = {
  version = ProtoField.uint8("kumi_ctl.version", "Version", base.DEC, nil, 0xf0),
  bits = ProtoField.uint8("kumi_ctl.reserved", "Reserved", base.HEX, nil, 0x0c),
  last = ProtoField.bool("kumi_ctl.last", "Last frame of the message", 8, nil, 0x02),
  first = ProtoField.bool("kumi_ctl.first", "First frame of the message", 8, nil, 0x01),
  number = ProtoField.uint8("kumi_ctl.number", "Number of the message", base.DEC),
  len = ProtoField.uint16("kumi_ctl.len", "Length", base.DEC),
  zero = ProtoField.uint16("kumi_ctl.zero", "Zero", base.HEX),
  left = ProtoField.uint32("kumi_ctl.left", "Left of the message from here", base.DEC),
  data = ProtoField.bytes("kumi_ctl.data", "Data"),
  padding = ProtoField.bytes("kumi_ctl.padding", "Padding"),
  paper = ProtoField.bool("kumi_ctl.paper", "Paper framing"),
}
ctl.fields = c

local x = {
  short = ProtoExpert.new("kumi_ctl.short", "Shorter than the header", MALFORMED, ERROR),
  version = ProtoExpert.new("kumi_ctl.bad_version", "Unknown version", MALFORMED, ERROR),
  len = ProtoExpert.new("kumi_ctl.bad_len", "Length beyond the frame", MALFORMED, ERROR),
  empty = ProtoExpert.new("kumi_ctl.empty", "A frame without data", MALFORMED, ERROR),
  left = ProtoExpert.new("kumi_ctl.bad_left", "More data than is left of the message",
    MALFORMED, ERROR),
  last = ProtoExpert.new("kumi_ctl.bad_last", "The flag `last` contradicts the lengths",
    MALFORMED, ERROR),
}
ctl.experts = {x.short, x.version, x.len, x.empty, x.left, x.last}

function ctl.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "KUMI-CTL"
  local tree = root:add(ctl, tvb())
  -- The paper's first word holds zeros behind the EtherType: version 0, and no length.
  local version = tvb:len() > 0 and tvb(0, 1):bitfield(0, 4) or 1
  if version == 0 then
    tree:add(c.paper, tvb(0, 1), true):set_generated()
    pinfo.cols.info = string.format("paper framing, %d bytes behind the type", tvb:reported_len())
    tree:append_text(", " .. tostring(pinfo.cols.info))
    return tvb:len()
  end
  if tvb:len() < CTL_HEADER then
    if tvb:reported_len() < CTL_HEADER then tree:add_proto_expert_info(x.short) end
    pinfo.cols.info = "short frame"
    return tvb:len()
  end
  local item = tree:add(c.version, tvb(0, 1))
  if version ~= 1 then
    item:add_proto_expert_info(x.version)
    pinfo.cols.info = "unknown version " .. version
    return tvb:len()
  end
  local first, last = tvb(0, 1):bitfield(7, 1) == 1, tvb(0, 1):bitfield(6, 1) == 1
  local number, len, left = tvb(1, 1):uint(), tvb(2, 2):uint(), tvb(6, 4):uint()
  tree:add(c.bits, tvb(0, 1))
  local last_item = tree:add(c.last, tvb(0, 1))
  tree:add(c.first, tvb(0, 1))
  tree:add(c.number, tvb(1, 1))
  local len_item = tree:add(c.len, tvb(2, 2))
  tree:add(c.zero, tvb(4, 2))
  local left_item = tree:add(c.left, tvb(6, 4))

  local info = string.format("message %d%s%s len=%d left=%d", number, first and " first" or "",
    last and " last" or "", len, left)
  local on_line, captured = room(tvb, CTL_HEADER)
  if len > on_line then
    len_item:add_proto_expert_info(x.len)
    info = info .. string.format(" in a frame with %d", on_line)
  elseif len == 0 then
    len_item:add_proto_expert_info(x.empty)
  elseif len > left then
    left_item:add_proto_expert_info(x.left)
  elseif last ~= (len == left) then
    last_item:add_proto_expert_info(x.last)
  end
  if len <= on_line then
    if len > 0 and captured > 0 then
      tree:add(c.data, tvb(CTL_HEADER, math.min(len, captured)))
    end
    if captured > len then tree:add(c.padding, tvb(CTL_HEADER + len)) end
  end
  tree:append_text(", " .. info)
  pinfo.cols.info = info
  return tvb:len()
end

local table_of_types = DissectorTable.get("ethertype")
table_of_types:add(0x88B6, tp)
table_of_types:add(0x88B5, ctl)
