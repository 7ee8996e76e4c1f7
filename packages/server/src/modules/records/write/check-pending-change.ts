import type { ObjectModel } from '../../objects/index.ts'
import { violationsOf, type Violation, type RecordData } from '../../fields/index.ts'
import { Faults } from './faults.ts'

type Written = {
  readonly before: RecordData | undefined
  readonly data: RecordData
  readonly path: readonly (string | number)[]
}

const textOf = ({ field, detail }: Violation): string => `${field} ${detail}`

/**
 * Refuses writes that a pending schema change would forbid, so that a record which was found to fit keeps fitting.
 * Existing violations of a record are left for the change to find.
 */
export function checkPendingChange({ evolution }: ObjectModel, records: readonly Written[]): void {
  if (evolution === undefined) return
  const faults = new Faults()
  for (const { before, data, path } of records) {
    const known = new Set(before === undefined ? [] : violationsOf(evolution, before).map(textOf))
    for (const violation of violationsOf(evolution, data)) {
      if (!known.has(textOf(violation)))
        faults.add(
          [...path, violation.field],
          `${violation.detail} A change of the schema that is in progress requires it.`,
        )
    }
  }
  faults.throwIfAny()
}
