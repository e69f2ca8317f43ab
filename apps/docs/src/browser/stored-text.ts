/** Text in the storage of a browser. Without storage it is not kept. */
export const storedText = (storage: "localStorage" | "sessionStorage", name: string) => ({
  /** `""` for none. */
  read: (): string => {
    try {
      return window[storage].getItem(name) ?? ""
    } catch {
      return ""
    }
  },
  /** `""` forgets it. */
  write: (text: string): void => {
    try {
      if (text === "") window[storage].removeItem(name)
      else window[storage].setItem(name, text)
    } catch {
      // See above.
    }
  },
})
