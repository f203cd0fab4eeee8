"""Values and mechanics that several rooms share. Nothing here is a rule of the product.

The files:

    clients    who is asking: the name under which scarce things are shared
"""
