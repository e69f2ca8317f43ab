/** Every pet of a service, each as the text it has in its page: a digit that was lost would show. */
export const everyPet = async (baseUrl: string, key: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  let next: string | undefined = "/v1/pets?limit=100"
  while (next !== undefined) {
    const response: Response = await fetch(new URL(next, baseUrl), { headers: { Authorization: `Bearer ${key}` } })
    found.push(...((await response.text()).match(/\{[^}]*\}/g) ?? []))
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1]
  }
  return found
}
