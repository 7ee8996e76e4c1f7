import { isDeepStrictEqual } from 'node:util'
import { defined, isList, memberOf } from '../../lib/guards.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { Faults } from '../records/index.ts'
import { parseBlocks, saysSomething, type RichTextBlock } from '../fields/index.ts'

/** A person or a record that a message mentions. */
export type Mention = { readonly entity: string; readonly id: string }

/** The message of a body with all defaults filled in; 422 with a pointer if it is malformed or empty. */
export function parseMessage(ctx: WriteContext, given: readonly unknown[]): RichTextBlock[] {
  const faults = new Faults()
  const blocks = parseBlocks(given, ['message'], (detail, path = ['message']) => faults.add(path, detail), ctx)
  if (blocks !== undefined && !blocks.some(saysSomething)) faults.add(['message'], 'The message must not be empty.')
  faults.throwIfAny()
  return defined(blocks)
}

/**
 * Returns whether a stored message equals the one that was sent. It compares the filled-in blocks, except for the ids
 * that the caller left out, which are generated each time.
 */
export const saysSame = (
  stored: readonly RichTextBlock[],
  filled: readonly RichTextBlock[],
  given: readonly unknown[],
): boolean =>
  stored.length === filled.length &&
  filled.every((block, index) => isSameBlock(defined(stored[index]), block, given[index]))

function isSameBlock(
  { children: storedChildren, ...stored }: RichTextBlock,
  { children, ...filled }: RichTextBlock,
  given: unknown,
): boolean {
  const other = memberOf(given, 'id') === undefined ? { ...stored, id: filled.id } : stored
  const givenChildren = memberOf(given, 'children')
  return (
    isDeepStrictEqual(other, filled) && saysSame(storedChildren, children, isList(givenChildren) ? givenChildren : [])
  )
}

/** Everything that a message mentions, each once. */
export function mentionsIn(blocks: readonly RichTextBlock[]): Mention[] {
  const found = new Map<string, Mention>()
  const visit = ({ content, children }: RichTextBlock): void => {
    for (const { type, entity, id } of content) {
      if (type === 'mention' && typeof entity === 'string' && typeof id === 'string')
        found.set(`${entity} ${id}`, { entity, id })
    }
    children.forEach(visit)
  }
  blocks.forEach(visit)
  return [...found.values()]
}
