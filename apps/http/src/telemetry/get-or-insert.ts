export const getOrInsert = <K, V>(
  map: { readonly get: (key: K) => V | undefined; readonly set: (key: K, value: V) => unknown },
  key: K,
  make: () => V,
): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
