import { type Printing, update } from "./state.ts"

export const putOnPaper = (printing: Printing): void => {
  update({ printing })
  print()
  update({ printing: undefined })
}
