/** Runs anthropic's TypeScript client for one task: the tool loop, the other paths, the errors, or the limits. */

import { asked } from "./asked.mjs";
import { errors } from "./anthropic_errors.mjs";
import { limits } from "./anthropic_limits.mjs";
import { paths } from "./anthropic_paths.mjs";
import { tools } from "./anthropic.mjs";

const given = await asked();
await { tools, paths, errors, limits }[given.task](given);
