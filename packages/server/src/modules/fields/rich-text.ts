import { isRecord } from '../../lib/guards.ts'
import { parseBlocks, saysSomething } from './blocks.ts'
import type { FieldType } from './field-type.ts'

const blocksShape = (component: string) => ({
  type: 'object',
  properties: { text: { type: 'array', items: { $ref: `#/components/schemas/${component}` } } },
  required: ['text'],
  additionalProperties: false,
})

/** `{text:[block…]}`: optional members of blocks and runs are filled in, unknown types are kept. */
export const richText: FieldType = {
  name: 'rich_text',
  comparedAs: 'nothing',
  jsonTypes: ['object'],
  keywords: ['default', 'xSvcSearchable'],
  path: [],
  operators: ['Is empty', 'Is not empty'],
  indexes: ['text'],
  empty: null,
  shape: () => ({ answered: blocksShape('RichTextBlock'), sent: blocksShape('RichTextBlockInput') }),
  parse(value, _field, report, context) {
    if (!isRecord(value) || !Array.isArray(value['text']) || Object.keys(value).length !== 1)
      return report('Must be an object {"text": [block…]}.')
    const blocks = parseBlocks(value['text'], ['text'], report, context)
    return blocks === undefined ? undefined : blocks.some(saysSomething) ? { text: blocks } : null
  },
  parseOperand: () => undefined,
}
