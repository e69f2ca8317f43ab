import { type Printing, update } from "./state.ts"

const clear = (): void => {
  for (const press of ["pointerdown", "keydown"]) removeEventListener(press, clear, true)
  update({ printing: undefined })
}

/** Prints. The paper stays until the next press, because phones return from `print` before they read the page. */
export const putOnPaper = (printing: Printing): void => {
  update({ printing })
  print()
  for (const press of ["pointerdown", "keydown"]) addEventListener(press, clear, true)
}
