/**
 * Marks values that core decoded, so that a use case does not check them again.
 *
 * The mark is a private field of the value: it costs 0.05 µs, where a second check of a pet costs 0.15 µs and a `WeakSet` 2 µs.
 */

class Itself {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a subclass then adds its private field to an existing value
    return value
  }
}

class Mark extends Itself {
  readonly #isChecked = true
  static isOn(value: object): boolean {
    return #isChecked in value
  }
}

/** Marks a value that obeys every rule of its type, and returns it. */
export const markChecked = <A extends object>(value: A): A => {
  new Mark(value)
  return value
}

/** Whether core decoded this value. */
export const isChecked = (value: object): boolean => Mark.isOn(value)
