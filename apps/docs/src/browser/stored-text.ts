/** Text in the browser's storage. If there is no storage, the text is not stored. */
export const storedText = (storage: "localStorage" | "sessionStorage", name: string) => ({
  /** Returns the text, or `""` if nothing is stored. */
  read: (): string => {
    try {
      return window[storage].getItem(name) ?? ""
    } catch {
      return ""
    }
  },
  /** Stores the text. `""` deletes it. */
  write: (text: string): void => {
    try {
      if (text === "") window[storage].removeItem(name)
      else window[storage].setItem(name, text)
    } catch {
      // See above.
    }
  },
})
