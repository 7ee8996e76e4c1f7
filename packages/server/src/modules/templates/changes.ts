import { z } from 'zod'
import { change, type Change } from '@kontor/contract'
import { lookUp, type RunScope } from './path.ts'

const changes = z.array(change)

/** The changes of the record that began a run; none where it began otherwise. */
export function diffIn(scope: RunScope): readonly Change[] {
  const parsed = changes.safeParse(lookUp(scope, 'trigger.state.event.object.diff'))
  return parsed.success ? parsed.data : []
}
