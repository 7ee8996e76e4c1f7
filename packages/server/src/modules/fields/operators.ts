import type { Operator } from '@kontor/contract'

export const textOperators: readonly Operator[] = [
  'Is',
  'Is not',
  'Contains',
  'Does not contain',
  'Starts with',
  'Ends with',
  'Is empty',
  'Is not empty',
]
export const numberOperators: readonly Operator[] = [
  'Is',
  'Is not',
  'Greater than',
  'Greater than or equal',
  'Less than',
  'Less than or equal',
  'One of',
  'Is empty',
  'Is not empty',
]
export const dateOperators: readonly Operator[] = [
  'Is',
  'Is not',
  'Is before',
  'Is on or before',
  'Is after',
  'Is on or after',
  'Within',
  'Is empty',
  'Is not empty',
]
export const selectOperators: readonly Operator[] = ['Is', 'Is not', 'One of', 'Not one of', 'Is empty', 'Is not empty']
export const itemOperators: readonly Operator[] = [
  'Is',
  'Is not',
  'Contains',
  'Does not contain',
  'Is empty',
  'Is not empty',
]
export const flagOperators: readonly Operator[] = ['Is', 'Is not', 'Is set', 'Is not set']
export const idOperators: readonly Operator[] = ['Is', 'Is not', 'One of', 'Is empty', 'Is not empty']
export const locationOperators: readonly Operator[] = ['Contains', 'Does not contain']
