import { stripTypeScriptTypes } from 'node:module'
import { memberOf } from '../../lib/guards.ts'

/**
 * Takes the types out of code, and leaves everything else where it is, so that positions hold. Code that is not
 * TypeScript stays as it is: the machine checks whether it is JavaScript.
 */
export function plainJavaScript(given: string): { readonly code: string; readonly fault?: string } {
  try {
    return { code: stripTypeScriptTypes(given) }
  } catch (error) {
    const code = memberOf(error, 'code')
    if (code === 'ERR_INVALID_TYPESCRIPT_SYNTAX') return { code: given }
    // For example an enum, which is more than a type.
    if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return { code: given, fault: String(memberOf(error, 'message')) }
    // Its stack has ended, and from now on this process can read no TypeScript: see `isTooDeep` of the pool.
    throw new RangeError('Maximum call stack size exceeded', { cause: error })
  }
}
