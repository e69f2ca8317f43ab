/** `npm run bench`: the comparison with peers, or the measurement that is named first, with its own options. */
const named = ["growth", "import", "slow-disk", "workers", "engines"]

const [first = ""] = process.argv.slice(2)
if (named.includes(first)) process.argv.splice(2, 1)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))
await import(named.includes(first) ? `./${first}.ts` : "./main.ts")
// Ends what a measurement leaves running: see `session.ts`.
process.exit()
