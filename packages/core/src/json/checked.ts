/**
 * Use cases do not check marked values again. The mark is a private field of the value. It costs 0.05 µs, compared with 0.15 µs
 * for checking a pet again and 2 µs for a `WeakSet`.
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

export const markChecked = <A extends object>(value: A): A => {
  new Mark(value)
  return value
}

export const isChecked = (value: object): boolean => Mark.isOn(value)
