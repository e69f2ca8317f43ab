/** The first request of a developer, ready to be pasted. */

/** A line for a shell that adds a pet and lists it. */
export const curlLine = (baseUrl: string, secret: string): string => {
  const curl = `curl -sS -w '\\n' -H 'Authorization: Bearer ${secret}'`
  const pet = `{"name":"Bello","categoryId":1,"status":"available"}`
  return `${curl} -H 'Content-Type: application/json' -d '${pet}' ${baseUrl}/pets && ${curl} ${baseUrl}/pets`
}
