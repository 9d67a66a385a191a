-- Makes new connections wait while clients are held, instead of refusing them. `hold N` on the runtime API holds them for at
-- most N milliseconds, `release` lets them go on.
local held_until = 0

local function milliseconds()
  local now = core.now()
  return now.sec * 1000 + now.usec / 1000
end

local function is_held()
  return milliseconds() < held_until
end

-- Not by sleeping here: an action is never woken if its time is up before HAProxy notes it, as happens on a busy host, and the
-- connection hangs until `inspect-delay`. Services and sockets have timers of their own.
core.register_action("hold", { "tcp-req" }, function()
  while is_held() do
    local gate = core.tcp()
    gate:settimeout(30)
    if gate:connect("unix@/run/service/gate.sock") then
      gate:receive(1)
    else
      core.msleep(50)
    end
    gate:close()
  end
end, 0)

-- Answers when clients are no longer held.
core.register_service("gate", "tcp", function(applet)
  while is_held() do
    core.msleep(2)
  end
  applet:send("!")
end)

core.register_cli({ "hold" }, "hold MS : make new connections wait", function(applet, _, time)
  held_until = milliseconds() + (tonumber(time) or 0)
  applet:send("held\n")
end)

core.register_cli({ "held" }, "held : whether new connections wait", function(applet)
  applet:send(is_held() and "yes\n" or "no\n")
end)

core.register_cli({ "release" }, "release : let them go on", function(applet)
  held_until = 0
  applet:send("released\n")
end)
