wrk.method="POST"; wrk.body='{"name":"Bello","categoryId":7,"status":"available"}'; wrk.headers["Content-Type"]="application/json"
