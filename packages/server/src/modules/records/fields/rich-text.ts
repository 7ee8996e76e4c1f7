import type { FieldType, ParseContext, Report } from './field-type.ts'

type Json = Record<string, unknown>

const depthMax = 20

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `{text:[block…]}`: what a block or run may leave out is filled in, unknown types are kept. */
export const richText: FieldType = {
  name: 'rich_text',
  comparedAs: 'nothing',
  path: [],
  operators: ['Is empty', 'Is not empty'],
  empty: null,
  parse(value, _field, report, context) {
    if (!isObject(value) || !Array.isArray(value['text']) || Object.keys(value).length !== 1) return report('Must be an object {"text": [block…]}.')
    const blocks = parseBlocks(value['text'], ['text'], report, context, 0)
    return blocks === undefined ? undefined : blocks.length === 0 ? null : { text: blocks }
  },
  parseOperand: () => undefined,
}

function parseBlocks(blocks: readonly unknown[], path: readonly (string | number)[], report: Report, context: ParseContext, depth: number): Json[] | undefined {
  if (depth > depthMax) return report(`Blocks may be nested ${depthMax} deep.`, path) as undefined
  let faulty = false
  const parsed = blocks.map((block, index): Json => {
    const at = [...path, index]
    const children = isObject(block) && Array.isArray(block['children']) ? parseBlocks(block['children'], [...at, 'children'], report, context, depth + 1) : []
    if (!isObject(block) || typeof block['type'] !== 'string') report('Must be a block with a "type".', at)
    else if (children !== undefined && parseable(block, at, report)) {
      return { ...block, id: block['id'] ?? context.newId(), type: block['type'], children, content: ((block['content'] ?? []) as Json[]).map(fillRun) }
    }
    faulty = true
    return {}
  })
  return faulty ? undefined : parsed
}

function parseable(block: Json, at: readonly (string | number)[], report: Report): boolean {
  const { content = [], id, children = [] } = block
  if (id !== undefined && typeof id !== 'string') return report('Must be a string.', [...at, 'id']) !== undefined
  if (!Array.isArray(children)) return report('Must be an array of blocks.', [...at, 'children']) !== undefined
  if (!Array.isArray(content)) return report('Must be an array of runs.', [...at, 'content']) !== undefined
  const wrong = content.findIndex((run) => !isObject(run) || typeof run['type'] !== 'string')
  return wrong === -1 || report('Must be a run with a "type".', [...at, 'content', wrong]) !== undefined
}

const fillRun = (run: Json): Json => (run['type'] === 'text' ? { ...run, text: run['text'] ?? '', styles: run['styles'] ?? {} } : run)
