/** Parses a 64-bit integer in decimal digits. Returns `undefined` for other text. */
export const int64Of = (text: string): bigint | undefined => {
  if (!/^-?\d{1,19}$/.test(text.trim())) return undefined
  const value = BigInt(text.trim())
  return BigInt.asIntN(64, value) === value ? value : undefined
}
