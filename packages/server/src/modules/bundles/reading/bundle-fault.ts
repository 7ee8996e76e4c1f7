/** A bundle that cannot be restored, and why, in words for people. */
export class BundleFault extends Error {
  override readonly name = 'BundleFault'
}
