import { stripTypeScriptTypes } from 'node:module'
import { memberOf } from '../../lib/guards.ts'

/**
 * Takes the types out of code, and leaves everything else where it is, so that positions hold. What is not TypeScript
 * stays as it is: whether it is JavaScript, and where it is not, the machine says.
 */
export function plainJavaScript(code: string): { readonly code: string; readonly fault?: string } {
  try {
    return { code: stripTypeScriptTypes(code) }
  } catch (error) {
    // For example an enum, which is more than a type.
    if (memberOf(error, 'code') !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return { code }
    return { code, fault: String(memberOf(error, 'message')) }
  }
}
