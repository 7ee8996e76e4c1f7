const nameMax = 63

/**
 * Field names appear in paths (`company_id.name`), brackets and comma-separated lists: only letters, digits and `_`.
 */
const fieldName = new RegExp(`^[A-Za-z][A-Za-z0-9_]{0,${nameMax - 1}}$`)

/** The fault of a field's name, if any. */
export function nameFault(name: string): string | undefined {
  if (name.startsWith('_')) return 'Names that begin with "_" are reserved for system attributes.'
  if (name in Object.prototype) return 'This name has a special meaning in many programs.'
  return fieldName.test(name)
    ? undefined
    : `The name of a field has up to ${nameMax} letters, digits and "_", and begins with a letter.`
}

/**
 * The slug of an object from its display name: `Größere Projekte` becomes `c_grossere_projekte`. Empty if nothing is
 * left.
 */
export function objectName(name: string): string {
  const plain = name.normalize('NFKD').replaceAll('ß', 'ss').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return words === '' ? '' : `c_${words}`
}
