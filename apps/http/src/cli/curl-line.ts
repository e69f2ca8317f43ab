/** The first request of a developer, ready to be pasted. */

const addAndList = (baseUrl: string, header: string): string => {
  const curl = `curl -sS -w '\\n' -H ${header}`
  const pet = `{"name":"Bello","categoryId":1,"status":"available"}`
  return `${curl} -H 'Content-Type: application/json' -d '${pet}' ${baseUrl}/pets && ${curl} ${baseUrl}/pets`
}

/** A line for a shell that adds a pet and lists it. */
export const curlLine = (baseUrl: string, secret: string): string => addAndList(baseUrl, `'Authorization: Bearer ${secret}'`)

/** The same with the API key in the variable `PETSTORE_API_KEY` of the shell. */
export const curlLineWithVariable = (baseUrl: string): string => addAndList(baseUrl, '"Authorization: Bearer $PETSTORE_API_KEY"')
