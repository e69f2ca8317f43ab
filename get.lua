local i=0
request=function() i=(i*1103515245+12345)%2147483648; return wrk.format("GET","/v1/pets/"..(1+i%'100000')) end
