import { isBlank } from '@kontor/contract/values'
import { isList, isRecord, isString, memberOf } from '../../lib/guards.ts'
import type { ParseContext, Report } from './field-type.ts'

type Json = Readonly<Record<string, unknown>>

type Run = Json & { readonly type: string }
/** A block of rich text with nothing missing. */
export type RichTextBlock = Json & {
  readonly id: string
  readonly type: string
  readonly children: RichTextBlock[]
  readonly content: Run[]
}

const depthMax = 20

/** Blocks that hold only text. A block of any other kind may have content that the server does not know. */
const textBlocks = new Set([
  'paragraph',
  'heading',
  'bulletListItem',
  'numberedListItem',
  'checkListItem',
  'quote',
  'codeBlock',
])

/** Parses blocks of rich text: optional members are filled in, unknown types are kept. Undefined after a report. */
export function parseBlocks(
  blocks: readonly unknown[],
  path: readonly (string | number)[],
  report: Report,
  context: ParseContext,
  depth = 0,
): RichTextBlock[] | undefined {
  if (depth > depthMax) {
    report(`Blocks can be nested at most ${depthMax} deep.`, path)
    return undefined
  }
  let faulty = false
  const parsed = blocks.map((block, index): RichTextBlock => {
    const at = [...path, index]
    const children =
      isRecord(block) && Array.isArray(block['children'])
        ? parseBlocks(block['children'], [...at, 'children'], report, context, depth + 1)
        : []
    if (!isRecord(block) || typeof block['type'] !== 'string') report('Must be a block with a "type".', at)
    else if (children !== undefined && parseable(block, at, report)) {
      return {
        ...block,
        id: typeof block['id'] === 'string' ? block['id'] : context.newId(),
        type: block['type'],
        children,
        content: runsOf(block['content']).map(fillRun),
      }
    }
    faulty = true
    return { id: '', type: '', children: [], content: [] }
  })
  return faulty ? undefined : parsed
}

const isRun = (value: unknown): value is Run => isRecord(value) && typeof value['type'] === 'string'

const runsOf = (content: unknown): Run[] => (isList(content) ? content.filter(isRun) : [])

function parseable(block: Json, at: readonly (string | number)[], report: Report): boolean {
  const { content = [], id, children = [] } = block
  if (id !== undefined && typeof id !== 'string') return report('Must be a string.', [...at, 'id']) !== undefined
  if (!Array.isArray(children)) return report('Must be an array of blocks.', [...at, 'children']) !== undefined
  if (!Array.isArray(content)) return report('Must be an array of runs.', [...at, 'content']) !== undefined
  const wrong = content.findIndex((run) => !isRun(run))
  return wrong === -1 || report('Must be a run with a "type".', [...at, 'content', wrong]) !== undefined
}

const fillRun = (run: Run): Run =>
  run['type'] === 'text' ? { ...run, text: run['text'] ?? '', styles: run['styles'] ?? {} } : run

/** Tells whether people see anything of a block. */
export const saysSomething = ({ type, content, children }: RichTextBlock): boolean =>
  !textBlocks.has(type) || children.some(saysSomething) || content.some(isSeen)

/** A link shows the text in it, and nothing else. */
function isSeen(run: unknown): boolean {
  const type = memberOf(run, 'type')
  const text = memberOf(run, 'text')
  if (type === 'link') {
    const content = memberOf(run, 'content')
    return isString(content) ? !isBlank(content) : isList(content) && content.some(isSeen)
  }
  return type !== 'text' || (isString(text) && !isBlank(text))
}
