import type { ReadContext } from './implement.ts'

/** A body that names what it changes must name what the path does. */
export function requireSameId({ fail }: Pick<ReadContext, 'fail'>, given: string | undefined, inPath: string): void {
  if (given !== undefined && given !== inPath)
    throw fail('invalid_body', { detail: 'Must be the id in the path.', source: { pointer: '/data/id' } })
}
