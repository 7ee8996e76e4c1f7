import { readTarget, type MapOption } from '@kontor/contract/cells'
import { UsageError } from '../errors.ts'

/** Reads `Column=field`, `Column=field.part`, `text {Column} text=field`. */
export function parseMapOption(text: string): MapOption {
  const at = text.lastIndexOf('=')
  const option = at < 1 ? undefined : readTarget(text.slice(0, at), text.slice(at + 1))
  if (option === undefined)
    throw new UsageError(`"${text}" is no mapping; write 'Column=field' or 'Column=field.part'.`)
  return option
}
