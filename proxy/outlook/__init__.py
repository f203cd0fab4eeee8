"""What a configuration comes to, before a request is sent: for ``turnright check``, and imported by nothing else. Pure.

    models   what happens to a request, for each model and each of its deployments
    doubts   what is allowed and likely a mistake
    lines    both as aligned lines for a reader

Every fact is asked of the code that acts on it, so that what is told is what happens; nothing holds a secret.
"""

from proxy.outlook.doubts import doubts_about
from proxy.outlook.lines import outlook_lines
from proxy.outlook.models import DeploymentOutlook, ModelOutlook, outlook_of

__all__ = ["DeploymentOutlook", "ModelOutlook", "doubts_about", "outlook_lines", "outlook_of"]
