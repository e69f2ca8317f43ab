/**
 * Use cases do not check marked values again. The mark is a private field of the value. Marking a pet takes 0.05 µs, checking the
 * pet again would take 0.15 µs, and a `WeakSet` would take 2 µs.
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
