/** A developer's first requests, ready to paste into a shell. */

const addAndList = (baseUrl: string, header: string): string => {
  const curl = `curl -sS -w '\\n' -H ${header}`
  const pet = `{"name":"Bello","categoryId":1,"status":"available"}`
  return `${curl} -H 'Content-Type: application/json' -d '${pet}' ${baseUrl}/pets && ${curl} ${baseUrl}/pets`
}

export const curlLine = (baseUrl: string, secret: string): string => addAndList(baseUrl, `'Authorization: Bearer ${secret}'`)

/** Like {@link curlLine}, but with the API key from the shell variable `PETSTORE_API_KEY`. */
export const curlLineWithVariable = (baseUrl: string): string => addAndList(baseUrl, '"Authorization: Bearer $PETSTORE_API_KEY"')
