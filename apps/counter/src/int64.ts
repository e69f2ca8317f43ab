/** A whole number of 64 bits in decimal digits, or `undefined`. */
export const int64Of = (text: string): bigint | undefined => {
  if (!/^-?\d{1,19}$/.test(text.trim())) return undefined
  const value = BigInt(text.trim())
  return BigInt.asIntN(64, value) === value ? value : undefined
}
