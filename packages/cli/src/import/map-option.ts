import { readTarget } from '@kontor/contract/cells'
import { UsageError } from '../errors.ts'

/** A column, or a text with columns in braces, and the field (and part of it) that it fills. */
type MapOption = { readonly source: string; readonly field: string }

/** Reads `Column=field`, `Column=field.part`, `text {Column} text=field`. */
export function parseMapOption(text: string): MapOption {
  const at = text.lastIndexOf('=')
  const [source, field] = [text.slice(0, at), text.slice(at + 1).trim()]
  if (at < 1 || readTarget(source, field) === undefined)
    throw new UsageError(`"${text}" is no mapping; write 'Column=field' or 'Column=field.part'.`)
  return { source, field }
}
