-- wrk: a pause before each request, so that the server is asked at about a rate and not to its limit.
-- Its length in milliseconds is wrk's first argument after `--`.
local pause = 10
init = function(arguments)
  pause = tonumber(arguments[1]) or pause
end
delay = function()
  return pause
end
