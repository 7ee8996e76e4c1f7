export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const

export type JsonType = (typeof jsonTypes)[number]
