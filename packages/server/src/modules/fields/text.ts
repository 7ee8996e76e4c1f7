import { isBlank, trimInvisible } from '@kontor/contract/values'
import { fold } from '../../db/fold.ts'
import type { FieldType } from './field-type.ts'
import { textKeywords } from './keywords.ts'
import { textOperators } from './operators.ts'
import { textShape } from './shape.ts'

const lengthMax = 10_000
const longLengthMax = 100_000

const textType = (name: 'text' | 'long_text' | 'url', max: number): FieldType => ({
  name,
  comparedAs: 'text',
  jsonTypes: ['string'],
  keywords: name === 'long_text' ? textKeywords : [...textKeywords, 'xSvcUnique', 'xSvcPrimary'],
  lengthMax: max,
  path: [],
  operators: textOperators,
  indexes: ['text', 'grams'],
  empty: null,
  shape: textShape,
  parse(value, _field, report) {
    if (typeof value !== 'string') return report('Must be a string.')
    const kept = name === 'long_text' ? value : trimInvisible(value)
    if (isBlank(kept)) return null
    return kept.length > max ? report(`Must be at most ${max} characters.`) : kept
  },
  parseOperand: (value) => fold(String(value)),
})

export const text = textType('text', lengthMax)
export const longText = textType('long_text', longLengthMax)
export const url = textType('url', 2048)
