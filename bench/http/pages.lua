-- wrk: another page with each request, so that nothing is asked for twice within a round.
local offset = 0
request = function()
  offset = (offset + 1) % 500
  return wrk.format(nil, wrk.path .. "&offset=" .. offset)
end
