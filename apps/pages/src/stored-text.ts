/** Text in the browser's storage. If the browser has no storage, writes have no effect. */
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
      // The browser has no storage.
    }
  },
})
