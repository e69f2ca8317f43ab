/** Lets another program act at a known moment while this one looks at a store's files. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const looks = ["existsSync", "openSync", "statSync"] as const

/** Looks at files, and calls `beforeLook` with the number of each look, from 1. */
const counting = <A>(beforeLook: (number: number) => void, look: () => A): A => {
  const { existsSync, openSync, statSync } = fs
  let number = 0
  for (const name of looks) {
    const counted = new Proxy(fs[name], {
      apply: (call, fileSystem, args) => {
        number += 1
        beforeLook(number)
        return Reflect.apply(call, fileSystem, args)
      },
    })
    Object.assign(fs, { [name]: counted })
  }
  syncBuiltinESMExports()
  try {
    return look()
  } finally {
    Object.assign(fs, { existsSync, openSync, statSync })
    syncBuiltinESMExports()
  }
}

/** Another program, which can act once. */
interface Other {
  readonly act: () => void
  readonly end: () => void
}

/** What is found if another program acts before the first look at a file, before the second one, and so on. */
export const atEachMoment = <A>(start: () => Other, look: () => A): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (let moment = 1; ; moment += 1) {
    const other = start()
    let hasActed = false
    try {
      const act = (number: number) => {
        if (number !== moment) return
        hasActed = true
        other.act()
      }
      const one = counting(act, look)
      if (!hasActed) return found
      found.push(one)
    } finally {
      other.end()
    }
  }
}
