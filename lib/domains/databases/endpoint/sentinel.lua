-- Answers clients of Sentinel: the primary and its replicas are always where this endpoint leads to, so their addresses never change.
-- The configuration sets the name of the primary, its port, and the port of the replicas.
local name, port, reading_port = os.getenv("SENTINEL_NAME"), os.getenv("SENTINEL_PORT"), os.getenv("SENTINEL_READING_PORT")

local MOST_ARGUMENTS, LONGEST_ARGUMENT = 64, 1024
local RUN_ID = string.rep("0", 39) .. "1"

local function bulk(text)
  return "$" .. #text .. "\r\n" .. text .. "\r\n"
end

local function array(items)
  return "*" .. #items .. "\r\n" .. table.concat(items)
end

local function bulks(...)
  local items = {}
  for _, text in ipairs({ ... }) do
    items[#items + 1] = bulk(text)
  end
  return array(items)
end

local OK, NONE = "+OK\r\n", "*-1\r\n"

local function failure(text)
  return "-" .. text .. "\r\n"
end

-- One command, as an array of bulk strings or as a line (RESP); nil when the client has gone or sends something else.
local function read(applet)
  local line = applet:getline()
  if line == nil or line == "" or #line > LONGEST_ARGUMENT then
    return nil
  end
  local count = tonumber(line:match("^%*(%d+)\r?\n$"))
  if count == nil then
    local words = {}
    for word in line:gmatch("%S+") do
      words[#words + 1] = word
    end
    return words
  end
  if count > MOST_ARGUMENTS then
    return nil
  end
  local words = {}
  for _ = 1, count do
    local size = tonumber((applet:getline() or ""):match("^%$(%d+)\r?\n$"))
    if size == nil or size > LONGEST_ARGUMENT then
      return nil
    end
    local text = applet:receive(size + 2)
    if text == nil or #text < size + 2 then
      return nil
    end
    words[#words + 1] = text:sub(1, size)
  end
  return words
end

local function primary(address)
  return bulks("name", name, "ip", address, "port", port, "runid", RUN_ID, "flags", "master", "role-reported", "master",
    "num-slaves", "1", "num-other-sentinels", "0", "quorum", "1")
end

local function replica(address)
  return bulks("name", address .. ":" .. reading_port, "ip", address, "port", reading_port, "runid", RUN_ID, "flags", "slave",
    "role-reported", "slave", "master-link-status", "ok", "master-host", address, "master-port", port)
end

local function sentinel(address, words)
  local what, of = (words[2] or ""):lower(), words[3]
  if what == "masters" then
    return array({ primary(address) })
  elseif what == "myid" then
    return bulk(RUN_ID)
  elseif what == "get-master-addr-by-name" then
    return of == name and bulks(address, port) or NONE
  elseif what ~= "master" and what ~= "replicas" and what ~= "slaves" and what ~= "sentinels" and what ~= "ckquorum" then
    return failure("ERR Unknown or forbidden subcommand")
  elseif of ~= name then
    return failure("ERR No such master with that name")
  elseif what == "master" then
    return primary(address)
  elseif what == "sentinels" then
    return array({})
  elseif what == "ckquorum" then
    return "+OK 1 usable Sentinels. Quorum and failover authorization can be reached\r\n"
  end
  return array({ replica(address) })
end

local function information(address)
  return bulk("# Server\r\nredis_mode:sentinel\r\ntcp_port:26379\r\n\r\n# Sentinel\r\nsentinel_masters:1\r\nmaster0:name=" .. name ..
    ",status=ok,address=" .. address .. ":" .. port .. ",slaves=1,sentinels=1\r\n")
end

-- Channels are heard in vain: what they would tell never happens.
local function subscription(kind, words)
  local answers = {}
  for index = 2, #words do
    answers[#answers + 1] = "*3\r\n" .. bulk(kind) .. bulk(words[index]) .. ":" .. (kind:find("^p?uns") and 0 or index - 1) .. "\r\n"
  end
  return table.concat(answers)
end

local function hello(words)
  if words[2] ~= nil and words[2] ~= "2" then
    return failure("NOPROTO unsupported protocol version")
  end
  return array({ bulk("server"), bulk("valkey"), bulk("proto"), ":2\r\n", bulk("mode"), bulk("sentinel"), bulk("role"),
    bulk("sentinel"), bulk("modules"), "*0\r\n" })
end

local function answer(address, words)
  local command = words[1]:lower()
  if command == "ping" then
    return "+PONG\r\n"
  elseif command == "sentinel" then
    return sentinel(address, words)
  elseif command == "auth" or command == "client" then
    -- Nothing here is secret: whoever asks has reached the address already.
    return OK
  elseif command == "hello" then
    return hello(words)
  elseif command == "info" then
    return information(address)
  elseif command == "role" then
    return array({ bulk("sentinel"), bulks(name) })
  elseif command == "command" then
    return array({})
  elseif command:find("^p?subscribe$") or command:find("^p?unsubscribe$") then
    return subscription(command, words)
  end
  return failure("ERR unknown command")
end

core.register_service("sentinel", "tcp", function(applet)
  local address = applet.f:dst()
  while true do
    local words = read(applet)
    if words == nil then
      return
    end
    if words[1] ~= nil then
      if words[1]:lower() == "quit" then
        applet:send(OK)
        return
      end
      applet:send(answer(address, words))
    end
  end
end)
