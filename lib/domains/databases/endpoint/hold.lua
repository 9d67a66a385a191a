-- Makes new connections wait while clients are held, instead of refusing them. `hold N` on the runtime API holds them for at
-- most N milliseconds, `release` lets them go on.
local held_until = 0

local function milliseconds()
  local now = core.now()
  return now.sec * 1000 + now.usec / 1000
end

core.register_action("hold", { "tcp-req" }, function()
  while milliseconds() < held_until do
    core.msleep(2)
  end
end, 0)

core.register_cli({ "hold" }, "hold MS : make new connections wait", function(applet, _, time)
  held_until = milliseconds() + (tonumber(time) or 0)
  applet:send("held\n")
end)

core.register_cli({ "release" }, "release : let them go on", function(applet)
  held_until = 0
  applet:send("released\n")
end)
