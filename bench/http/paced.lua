-- wrk: a pause before each request, so that the server is asked at about a rate and not to its limit.
-- It varies by a half: connections that pause as long as each other ask all at once, for ever.
-- Its mean length in milliseconds is wrk's first argument after `--`; the second one asks for another page with
-- each request, as in pages.lua.
local pause = 10
local turning = false
local offset = 0
init = function(arguments)
  pause = tonumber(arguments[1]) or pause
  turning = arguments[2] == "true"
end
delay = function()
  return pause * (0.5 + math.random())
end
request = function()
  if not turning then return wrk.format() end
  offset = (offset + 1) % 500
  return wrk.format(nil, wrk.path .. "&offset=" .. offset)
end
