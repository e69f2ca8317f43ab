/** The page of one animal, over the list. It has an address of its own. */
import { CategoryName } from "./category-names.tsx"
import { Dialog } from "./dialog.tsx"
import { History } from "./history.tsx"
import { useSettled } from "./press.ts"
import { goTo } from "./refresh.ts"
import { Actions, Reserved, Status, statusOf } from "./row.tsx"
import { named } from "./sentence.ts"
import { isPetOpen, type State } from "./state.ts"

export const PetDialog = ({ state }: { readonly state: State }) => {
  const { opened, busy, me, today } = state
  const isReadOnly = me?.key.readOnly === true
  const status = opened === undefined ? "" : statusOf(opened)
  const isSettled = useSettled(`${opened?.pet.id} ${status}`)
  return (
    <Dialog isOpen={isPetOpen(state)} title="pet-title" level="pet" onClose={() => goTo({ pet: undefined })}>
      {opened !== undefined && (
        <>
          <h2 id="pet-title" tabIndex={-1}>
            {named(opened.pet.name)}, animal {opened.pet.id}
          </h2>
          <dl class="facts">
            <dt>Category</dt>
            <dd>
              <CategoryName id={opened.pet.categoryId} />
            </dd>
            <dt>Status</dt>
            <dd>
              <Status line={opened} />
            </dd>
            {opened.order !== undefined && (
              <>
                <dt>Reserved</dt>
                <dd>
                  <Reserved order={opened.order} />
                </dd>
              </>
            )}
          </dl>
          {!isReadOnly && <Actions line={opened} isWaiting={busy.has(opened.pet.id) || !isSettled} />}
          <h3>What happened</h3>
          <History petId={opened.pet.id} version={today[0]?.id} isReadOnly={isReadOnly} />
          <div class="choices">
            <button class="secondary" type="button" onClick={() => goTo({ pet: undefined })}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
