import { InvalidArgumentError } from 'commander'

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** Reads the id of a record; throws InvalidArgumentError for any other text, such as its name. */
export function idArgument(text: string): string {
  if (uuid.test(text)) return text
  throw new InvalidArgumentError(
    "It is not an id. To find a record by a value: kontor records list OBJECT --filter 'field=value'.",
  )
}

/** Reads one of several ids. */
export const idsArgument = (text: string, before: readonly string[] = []): string[] => [...before, idArgument(text)]
